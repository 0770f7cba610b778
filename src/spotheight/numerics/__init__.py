"""Numbers without nouns: beta and beta-binomial arithmetic, quantiles, weighted draws."""
