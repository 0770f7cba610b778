"""History: what happened in a campaign, in order, and what follows from that alone."""
