"""Two latent Gaussian processes behind counts, fitted by variational inference.

Everything here needs torch (extra ``deep``), so nothing imports it before such a model is fitted.
"""
