"""Rankings: ranked lists, matching of detections, bandits and verdicts from draws."""
