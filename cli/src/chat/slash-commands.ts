import { UsageError } from "../errors.ts";
import { objectOf, objectsOf, textOf } from "../json.ts";
import { bold } from "../output/styles.ts";
import { MODES } from "../tasks/start.ts";
import type { ChatSession } from "./chat-session.ts";

interface SlashCommand {
  readonly usage: string;
  readonly does: string;
  /** Its answer, if it has one, in lines. */
  run(session: ChatSession, word: string | undefined): Promise<readonly string[]> | readonly string[];
}

const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  new: {
    usage: "/new",
    does: "begin a new chat",
    run: (session) => [
      "The next message begins a new chat.",
      ...session.leaveChat().map((task) => `A task goes on: \`workspace logs -f ${task}\``),
    ],
  },
  stop: {
    usage: "/stop",
    does: "stop what the agent does",
    run: async (session) => ((await session.stop()) ? [] : ["Nothing runs."]),
  },
  mode: {
    usage: `/mode [${MODES.join("|")}]`,
    does: "what the agent may do from the next message on",
    run: (session, word) => {
      const mode = MODES.find((each) => each === word);
      if (word !== undefined && !mode) throw new UsageError(`The modes are ${MODES.join(", ")}`);
      session.mode = mode ?? session.mode;
      return [`Mode: ${session.mode ?? "that of the service"}`];
    },
  },
  model: {
    usage: "/model [id|default]",
    does: "the model from the next message on",
    run: (session, word) => {
      if (word !== undefined) session.model = word === "default" ? undefined : word;
      return [`Model: ${session.model ?? "that of the agent"}`];
    },
  },
  undo: {
    usage: "/undo",
    does: "take the last message back, with what it changed in the files",
    run: async ({ service, chatId }) => {
      if (chatId === undefined) throw new UsageError("There is no message to undo");
      const undone = await service.workspace.chats.undo(chatId);
      return [
        `Undone${undone.files_reverted ? ", and the files are as before" : ""}: ${undone.last_user_message}`,
      ];
    },
  },
  files: {
    usage: "/files [folder]",
    does: "list the project's files",
    run: async ({ service, project }, folder) => {
      const answer = await service.workspace.request("GET", "/api/projects/{project}/files/tree", {
        path: { project },
        query: folder === undefined ? {} : { container_dir: folder },
      });
      const paths = objectsOf(objectOf(answer)["files"])
        .filter((entry) => entry["is_dir"] !== true)
        .map((entry) => textOf(entry, "path") ?? "");
      return paths.length > 0 ? paths : ["There are no files."];
    },
  },
  help: { usage: "/help", does: "show this", run: () => HELP },
  quit: { usage: "/quit", does: "leave; tasks go on (also Ctrl-D)", run: () => [] },
};

const HELP = [
  ...Object.values(COMMANDS).map(({ usage, does }) => `${usage.padEnd(24)} ${does}`),
  "@path                    attach a file of this machine to the message",
  "\\ at the end of a line   goes on in the next line, as does what is pasted",
  "Ctrl-C                   stops the agent; twice leaves",
];

/** The names of the commands, with their slash. */
export const COMMAND_WORDS: readonly string[] = Object.keys(COMMANDS).map((name) => `/${name}`);

/** The command that a line is, and its word; undefined for a message. */
function commandIn(line: string): { name: string; word: string | undefined } | undefined {
  const [, name, word] = /^\/([a-z]+)(?:\s+(\S+))?\s*$/u.exec(line) ?? [];
  return name === undefined ? undefined : { name, word };
}

/**
 * Runs the line if it is a command, and says what became of it. Throws `UsageError` for one that does not exist, and as the
 * service does.
 */
export async function runSlashCommand(
  line: string,
  session: ChatSession,
): Promise<"message" | "done" | "quit"> {
  const found = commandIn(line);
  if (!found) return "message";
  const command = Object.hasOwn(COMMANDS, found.name) ? COMMANDS[found.name] : undefined;
  if (!command) throw new UsageError(`There is no command /${found.name}`, "/help lists them.");
  for (const each of await command.run(session, found.word)) session.view.note(bold("· "), each);
  return found.name === "quit" ? "quit" : "done";
}
