"""Process groups without MPI: sockets between processes that find one another through a store.

`links` moves messages, `communicator` makes exchanges of them, `board` shows what each rank does,
`rendezvous` brings the ranks together, and `world` is what a process group holds of it all.
"""
