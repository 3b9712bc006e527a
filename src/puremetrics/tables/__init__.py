"""What every estimator reads: counts of positive, unlabeled and negative rows by score."""
