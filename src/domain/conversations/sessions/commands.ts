/** What a person can ask of the service itself, without the agent. */
export const COMMANDS = {
  help: "this list",
  new: "begin a new conversation",
  stop: "stop the work and forget what waits",
  status: "what the agent is doing",
  whoami: "the account that you are linked to",
  sethome: "have this chat be your home for messages of the agent",
  schedules: "your schedules",
  approve: "allow what the agent asks for",
  deny: "do not allow what the agent asks for",
  answer: "answer the form of a server",
} as const;

export type CommandName = keyof typeof COMMANDS | "pair";

const ALIASES: Readonly<Record<string, CommandName>> = { start: "pair", reset: "new" };

/**
 * The command of a text: `/name` or `!name`, the second because Slack does not let `/` be written in threads. Undefined for
 * every other text, which is for the agent, and so are commands that the service does not know.
 */
export function commandOf(text: string): CommandName | undefined {
  const name = /^[/!]([a-z]{1,20})(?:\s|$)/iu.exec(text)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  if (Object.hasOwn(ALIASES, name)) return ALIASES[name];
  return isCommand(name) ? name : undefined;
}

/** What stands behind the name of a command. */
export const argumentOf = (text: string) => text.replace(/^[/!][a-z]+\s*/iu, "");

function isCommand(name: string): name is CommandName {
  return name === "pair" || Object.hasOwn(COMMANDS, name);
}
