import { ArgumentReader } from "./argument-reader.ts";
import { groupCommands } from "./group-commands.ts";
import { Keyspace } from "./keyspace.ts";
import { RedisError, type RedisBackend, type Reply } from "./reply.ts";
import { streamCommands } from "./stream-commands.ts";
import { stringCommands, type Command } from "./string-commands.ts";

const COMMANDS = new Map<string, Command>(
  Object.entries({ ...stringCommands, ...streamCommands, ...groupCommands }),
);

/**
 * Redis in memory with the commands that the service uses. Empty at every start; the service keeps no durable data in
 * Redis.
 */
export function openMemory(now: () => number = Date.now): RedisBackend {
  const keys = new Keyspace(now);
  const run = ([name = "", ...args]: readonly string[]): Reply => {
    const command = COMMANDS.get(name.toUpperCase());
    if (!command) throw new RedisError(`ERR unknown command '${name}'`);
    return command(new ArgumentReader(args), keys);
  };
  return {
    run: async (command) => run(command),
    // Commands run synchronously, so any list of them is a transaction.
    runTogether: async (commands) =>
      commands.map((command) => {
        try {
          return run(command);
        } catch (error) {
          if (error instanceof RedisError) return error;
          throw error;
        }
      }),
    close: async () => {},
  };
}
