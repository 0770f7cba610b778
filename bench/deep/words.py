"""What docs/deep.md says in words; what stands in braces is filled by the page."""

TITLES = {
    "imagenet-resnet50": "ImageNet-X, ResNet50",
    "audiomnist-google": "AudioMNIST, Google",
    "expw-microsoft": "ExpW faces, Microsoft",
}

INTRODUCTION = """# The BetaGP family

`berngp`, `betagp`, `betagp-sl`, `betagp-slp` and `betagp-ab` (Piratla et al. 2021; extra `deep`) on
made-up and real arms. This page is written by `make bench` from `docs/deep.json`; only the results
of others, in italics, were typed by hand. To run it again:

    python -m bench.deep                          # all of it
    python -m bench.deep --part speed             # simple, speed, modest, devices or cases
    python -m bench.deep --part cases --device cuda --processes 8
    python -m bench.deep --minutes 0              # only write this page anew

What the two processes stand for, and what is read off them:

- The accuracy of an arm is Beta with mean mu and scale psi, which follow from two functions that
  are smooth over arms. In `betagp` and `betagp-ab` that Beta says how much like arms differ, so an
  arm's own labels update it: its rate is Beta(mu psi + hits, (1 - mu) psi + misses), averaged over
  what is believed of mu and psi (`beta=prior`). The published reading leaves the update out
  (`beta=belief`): mean E[mu], variance E[mu (1 - mu) / (psi + 1)] + Var(mu).
- In `betagp-sl` and `betagp-slp` the scale is taught to be the number of labels, so the Beta
  already is what is believed and is read as published. Their intervals hardly get narrower
  than ten labels would make them, for counts above ten are taught as ten.
- `berngp` has no Beta: arms that look alike are alike, and its intervals know of no other spread.
- Scales are taught by the gamma form, which made the published numbers; with
  `scale_supervision=dirichlet` by eq. (11), the logarithm of the gamma of the sum standing once.
  That form fits slowly: if A scales grow together in proportion to their labels, it grows for ever,
  like (A - 1) / 2 times the logarithm of their sum, and only the prior ends the climb.
- A running campaign fits after every batch. Each fit begins at the belief of the last round number
  of labels (a quarter apart), which follows from the log, so that `verify` finds the same numbers.
- The extra `deep` is torch alone. A fit uses none of GPyTorch: the belief climbs by natural
  gradients with slopes in closed form, and the kernel by L-BFGS. GPyTorch is the peer below, the
  reference configuration, and an oracle of the tests.
- An embedding starts where it keeps the distances that arms have without one, with a hint of
  random features, and its prior is around that start. As published it starts at the features of
  the network that ties guessed attributes. Ours are tied by a table for each pair, which has no
  features, is there only where attributes are guessed, and says which levels occur together and
  not which are predicted alike.
- `additive` beside them was run before attributes and scores could tell more in large arms than in
  small ones; `docs/benchmarks.md` has what it reaches now.
"""


SIMPLE = """Ten arms in a line with 1 or 20 labels, 20 seeds. *GPyTorch, Adam* is our reading of
the reference configuration: a batch of two whitened processes with points fixed at the arms and the
default start of the kernel, the accuracy the logistic of 6f - 3, 20 nodes of which one serves both
latents, the likelihood divided by the ten arms, KL divergence and a standard normal prior of the
constant means divided by the 86 labels, the gamma scale term with counts cut at 10, {steps} steps
of Adam at rate {rate:g}. *To the top*: the same objective by our optimiser until nothing is gained.
What is divided by what is not printed: other readings that were tried stand in
[decisions/scales-of-table-8.md](decisions/scales-of-table-8.md).
"""

FOUND = """What is reproduced and what is not:

- The scales of `betagp-sl` lie within {off[betagp-sl]:.1%}, and errors and lengths of all three
  come out as published. {steps} steps have not settled them: at the top the well-labelled arms'
  scales are higher.
- `betagp-slp`: the two arms at the left end, published at {left}, come out lower; the other eight
  scales are within {others:.1%}.
- `betagp`: nothing holds the scales but the prior, and Adam is stopped on the way up, so they are a
  matter of the climb. In most seeds the middle is met and the ends are up to {ends:.0%} low. In
  {fallen} seeds of {seeds} (*fallen*) the quadrature with one node for both latents finds an arm
  whose rate is all over, with a scale near 1.
- Errors depend on the labels drawn, and which labels the published tables saw stays unknown.

What was tried to come nearer: [decisions/scales-of-table-8.md](decisions/scales-of-table-8.md).
"""


SPEED = """One thread, one run, seconds of processor time on a busy machine; 20-dimensional
embedding and 50 inducing points, all learned. The peer is the bare objective in GPyTorch (single
precision) with two phases of 1000 Adam steps. Both solutions are judged by one function: eq. (9)
and (15), the full KL divergence, 20 by 20 nodes. Our start, nodes and tolerances were chosen on
these two worlds, and counts are whole, which is the quick case; the estimator's own settings are
stricter. *Passes it*: stopped where the peer's bound was passed, which one knows only after the
peer ran. *Single*: to the end in the peer's precision and with its jitter; the estimator itself
fits in double precision.
"""

MODEST = """Arms whose true accuracies have the standard deviation shown; a fifth of the variance of
their logits comes from pairs of attributes. 64 arms (4 x 4 x 4) get labels alike; of 4096 (twelve
times yes or no) the chances of a label differ severalfold. Errors are squared,
times 100, over all arms against the true accuracies. *Spread* is the standard deviation of the
estimates: 0 where they collapse to one number, as they did with this embedding until the prior of
the network's weights was put around a start that keeps distances
([decision](decisions/deep-kernel.md)). `gpytorch` is `betagp-sl` with the same embedding as a user
of GPyTorch would fit it: a random start, no prior of the weights, 2 x 1000 steps of Adam. Seconds
are of one core's time, a fit, on a busy machine.
"""

DEVICES = """`betagp` with its usual settings (double precision, no embedding) on the same two
worlds: one thread beside the device, seconds by the clock, in one run of
`python -m bench.deep --part devices --device cuda`. Twelve other cores of that machine were at
work meanwhile, which costs a thread that waits for memory. Both found the same lengths of the
kernel to nine digits.
"""

GAINED = """What that means:

- One-hot inputs: numbers of levels stand for distances that attributes without an order do not
  have. On ExpW one-hot inputs gain the error shown, with and without pooling; on AudioMNIST where
  counts are pooled, while plain `betagp` learns lengths short enough to tell levels apart. On
  ImageNet-X attributes are yes or no, so that both inputs say the same.
- Right pooling: whether the two neighbours count by the kernel or alike hardly matters, for the
  nearest arms are about equally near. Pooling itself (`betagp-slp` beside `betagp-sl` above) lowers
  worst-50 errors on AudioMNIST and ExpW and raises macro errors on ImageNet-X and AudioMNIST.
- Against the public code's best: on ImageNet-X none of the gain is due to the inputs, on ExpW about
  half of it; on AudioMNIST most of it for `betagp-slp`, none for `betagp`.
- An embedding (one linear layer here) gains nothing where attributes are apart from each other. On
  ExpW 94 columns must go into 20: distances are kept roughly, which costs the error shown. Without
  a prior that keeps it near such a start it cost more and held too few intervals, though it named
  ExpW's worst arms better ([decision](decisions/deep-kernel.md)).
"""
