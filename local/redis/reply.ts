/** What a command answers, in the shapes of Redis' protocol. */
export type Reply = string | number | null | Reply[];

/** A command's refusal, worded as Redis words it: `ERR …`, `WRONGTYPE …`. */
export class RedisError extends Error {}

/** What the REST server speaks to. Throws `RedisError` for what the command got wrong. */
export interface RedisBackend {
  run(command: readonly string[]): Promise<Reply>;
  /** All or none (MULTI/EXEC): a command that fails when its turn comes does not stop the others. */
  runTogether(commands: readonly (readonly string[])[]): Promise<(Reply | RedisError)[]>;
  close(): Promise<void>;
}
