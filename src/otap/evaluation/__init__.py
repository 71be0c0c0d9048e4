"""Many runs, each against the references of its task: scored in parallel, into a result file."""
