import type { ReadStream, WriteStream } from "node:tty";
import { WorkspaceError, type Terminal, type TerminalOptions } from "@agent-workspace/client";
import { stopped } from "../errors.ts";
import { ConnectionNotices } from "./connection-notices.ts";
import { escapes } from "./escape.ts";
import { makeRaw } from "../input/raw-terminal.ts";
import { ScreenModes } from "./screen-modes.ts";

const CTRL_C = "\u0003";
const BELL = "\u0007";

interface Shell {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  /** Opens the terminal of the service in the size of this one. */
  readonly open: (options: Pick<TerminalOptions, "columns" | "rows" | "onConnection">) => Terminal;
  /** Tells something besides the output, on a line of its own. */
  readonly tell: (words: string) => void;
}

/** How a shell was left. */
export interface LeftShell {
  /** Whether the person left it, and the session still waits for them. */
  readonly isLeft: boolean;
  readonly session: string | undefined;
  /** The service's words about the end of the shell. */
  readonly reason: string | undefined;
}

/**
 * Joins this terminal and one of the service until the shell ends or the person leaves it. Its output is passed on as it is:
 * here programs of the project own the screen. Throws when the service refuses or has lost the shell. The terminal is as
 * before afterwards, also after an error or a signal.
 */
export async function runShell({ stdin, stdout, open, tell }: Shell): Promise<LeftShell> {
  const modes = new ScreenModes();
  const left = new AbortController();
  const typed = escapes();
  const restore = makeRaw(stdin, () => stdout.write(modes.undo()));
  let isLineBegun = false;
  const notices = new ConnectionNotices(
    (words) => {
      if (isLineBegun) stdout.write("\r\n");
      isLineBegun = false;
      tell(words);
    },
    () => modes.isFullScreen,
  );
  const terminal = open({
    columns: stdout.columns,
    rows: stdout.rows,
    onConnection: (isConnected) => notices.take(isConnected),
  });

  const resize = () => terminal.resize(stdout.columns, stdout.rows);
  const type = (keys: string) => {
    // Until there is a shell that could take it, Ctrl-C is for this program.
    if (terminal.session === undefined && keys.includes(CTRL_C)) return left.abort(stopped());
    const { input, isLeft } = typed(keys);
    try {
      if (input !== "") terminal.write(input);
    } catch (error) {
      // Too much waits for a lost connection, or the shell has just ended: what was typed is not taken.
      if (!(error instanceof WorkspaceError)) throw error;
      stdout.write(BELL);
    }
    if (isLeft) left.abort(LEFT);
  };
  stdin.setEncoding("utf8").on("data", type);
  stdout.on("resize", resize);
  try {
    for await (const { data } of terminal.output({ signal: left.signal })) {
      modes.take(data);
      isLineBegun = !data.endsWith("\n");
      stdout.write(data);
    }
    return { isLeft: false, session: terminal.session, reason: terminal.reason };
  } catch (error) {
    if (error !== LEFT) throw error;
    return { isLeft: true, session: terminal.session, reason: undefined };
  } finally {
    stdin.off("data", type);
    stdout.off("resize", resize);
    terminal.close();
    notices.close();
    restore();
  }
}

/** Why the output was no longer read. */
const LEFT = new Error("Left");
