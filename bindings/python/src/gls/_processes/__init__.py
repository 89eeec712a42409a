"""Other processes: feeds, groups, servers."""
