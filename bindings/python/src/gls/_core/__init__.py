"""What all of the package uses: arguments, arrays, contexts, devices."""
