import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Connection, Refused } from "./command-line/connection.ts";
import { Conversation } from "./command-line/conversation.ts";
import { StartError } from "./start-error.ts";

const USAGE = `Usage: WORKSPACE_API_KEY=tsk_… npm run -s cli -- [--url ADDRESS] [--project ID]

Sends each line to the agent, and prints what it says. A line that ends in a backslash goes on in the next one. While the
agent asks for an approval, the number of a choice answers it.
WORKSPACE_URL and WORKSPACE_PROJECT do the same as the options.`;

const DEFAULT_URL = "http://127.0.0.1:8787";

interface Settings {
  service: URL;
  key: string;
  project: string | undefined;
}

/** Throws `StartError` for what is missing or invalid. */
function readSettings(args: readonly string[]): Settings {
  const { values } = optionsOf(args);
  if (values.help) throw new StartError([USAGE]);
  const key = process.env["WORKSPACE_API_KEY"];
  if (!key) throw new StartError(["WORKSPACE_API_KEY: set it to an API key (tsk_…)", "", USAGE]);
  const address = values.url ?? (process.env["WORKSPACE_URL"] || DEFAULT_URL);
  if (!URL.canParse(address) || !/^https?:/iu.test(address)) {
    throw new StartError([`WORKSPACE_URL: ${address} is not an address of http or https`]);
  }
  return {
    service: new URL(address),
    key,
    project: values.project ?? (process.env["WORKSPACE_PROJECT"] || undefined),
  };
}

function optionsOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: { type: "string" },
        project: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new StartError([error instanceof Error ? error.message : String(error), "", USAGE], {
      cause: error,
    });
  }
}

/** Control characters but tab and line feed: what an agent says must not move the cursor or change the terminal. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu;
const printable = (text: string) => text.replaceAll(CONTROL, "");
const dim = (text: string) => (process.stderr.isTTY ? `\u001B[2m${text}\u001B[22m` : text);

/** Runs until the input is over and answered, or the person leaves. Returns the exit code. */
async function run(settings: Settings): Promise<number> {
  const isPerson = process.stdin.isTTY && process.stdout.isTTY;
  const lines = createInterface({
    input: process.stdin,
    ...(isPerson && { output: process.stdout, prompt: "> " }),
  });
  const print = (stream: NodeJS.WriteStream, text: string) => {
    // The prompt gives way, and comes back with what was typed.
    if (isPerson) process.stdout.write("\r\u001B[K");
    stream.write(`${text}\n`);
    if (isPerson) lines.prompt(true);
  };
  const note = (text: string) => print(process.stderr, dim(printable(text)));
  const conversation = new Conversation({
    say: (text) => print(process.stdout, printable(text)),
    note,
    fail: (text) => print(process.stderr, `Error: ${printable(text)}`),
    send: (frame) => connection.send(frame),
    finished: () => connection.leave(),
  });
  const connection = new Connection({
    ...settings,
    opened: () => {
      conversation.resend();
      if (isPerson) lines.prompt(true);
    },
    received: (frame) => conversation.take(frame),
    lost: (reason) => note(`Connection lost (${reason}); connecting again …`),
  });
  let hasLeft = false;
  const leave = () => {
    hasLeft = true;
    connection.leave();
  };
  process.once("SIGINT", leave);
  lines.on("SIGINT", leave);
  lines.on("line", (line) => {
    conversation.write(line);
    if (isPerson) lines.prompt();
  });
  lines.on("close", () => conversation.end());
  try {
    await connection.run();
  } finally {
    lines.close();
    process.stdin.destroy();
  }
  return conversation.hasFailed && !hasLeft ? 1 : 0;
}

/** `npm run cli`: a plain client of the messaging gateway's command line. */
if (import.meta.main) {
  if (existsSync(".env")) process.loadEnvFile(".env");
  try {
    process.exitCode = await run(readSettings(process.argv.slice(2)));
  } catch (error) {
    if (!(error instanceof StartError) && !(error instanceof Refused)) throw error;
    for (const line of error instanceof StartError ? error.lines : [error.message]) console.error(line);
    process.exitCode = 1;
  }
}
