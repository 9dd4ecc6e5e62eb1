"""What people ask when something is wrong.

Files, in reading order:

- ``failures``: Failed jobs by their cause.
- ``mutes``: Causes that operators have muted.
- ``doctor``: What is wrong with a store and the processes around it, each with a remedy.
- ``durability``: What the store in use promises: what survives a kill, a crash of the server, a loss of power.
- ``configuration``: What is wrong with the settings of the process that asks.
- ``finding``: One finding of a diagnosis.
- ``consistency``: Where a store contradicts itself, in sentences.
- ``code``: The waiting jobs of a store against the code at hand.
- ``unreadable``: Which stored texts of a job are damaged.
- ``raw_record``: What a store holds of a job, for people: secrets masked, encrypted texts as such.
- ``actions``: What a person can do about a job, in the state that it is in.
- ``forms``: What diagnoses and checks found, as values for JSON.
"""
