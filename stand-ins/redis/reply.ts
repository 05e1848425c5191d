/** A command's reply, in the types of Redis' protocol. */
export type Reply = string | number | null | Reply[];

/** An error of a command, worded as Redis words it: `ERR …`, `WRONGTYPE …`. */
export class RedisError extends Error {}

/** The database behind the REST server. Throws `RedisError` for an invalid command. */
export interface RedisBackend {
  run(command: readonly string[]): Promise<Reply>;
  /** Runs all or none (MULTI/EXEC): a command that fails when it runs does not stop the others. */
  runTogether(commands: readonly (readonly string[])[]): Promise<(Reply | RedisError)[]>;
  close(): Promise<void>;
}
