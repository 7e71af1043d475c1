"""Code of script/cluster-test."""
