import {
  clearScreenDown,
  createInterface,
  cursorTo,
  emitKeypressEvents,
  type Interface,
} from "node:readline";
import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { makeRaw } from "../input/raw-terminal.ts";
import { entries, type Entry } from "./entry.ts";
import { MAX_HISTORY } from "./input-history.ts";

const PROMPT = "> ";
const PROMPT_OF_MORE = "… ";
/** Bracketed paste: the terminal marks what is pasted. Source: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html */
const MARK_PASTES = "\u001B[?2004h";
const MARK_NO_PASTES = "\u001B[?2004l";

/** A key as Node's keypress events tell it. */
interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

interface EditorOptions {
  readonly stdin: ReadStream;
  readonly screen: WriteStream;
  /** Lines that were entered before, newest first. */
  readonly history: readonly string[];
  /** Completes the word of a line that begins with it. */
  readonly words: readonly string[];
  /** Called before the prompt is shown: an open line has to end. */
  beforePrompt(): void;
  entered(entry: Entry): void;
  /** Nothing is being typed any more. */
  released(): void;
  /** Ctrl-C on an empty line. */
  interrupted(): void;
  /** Ctrl-D on an empty line. */
  ended(): void;
  remember(history: readonly string[]): void;
}

/**
 * Reads what a person types while other text is shown. The prompt has a line of its own; it is hidden for other text, and
 * comes back with the next key.
 */
export class LineEditor {
  readonly #options: EditorOptions;
  readonly #lines: Interface;
  readonly #restore: () => void;
  #take = entries();
  #isPrompted = false;
  #isMore = false;
  #isPasting = false;
  #isLinePasted = false;
  #isSuspended = false;
  #isClosed = false;
  #previous: string | undefined;

  constructor(options: EditorOptions) {
    this.#options = options;
    const { stdin, screen, history, words } = options;
    this.#restore = makeRaw(stdin, () => screen.write(MARK_NO_PASTES));
    screen.write(MARK_PASTES);
    // Keys are passed on one by one: some of them are not for the line.
    this.#lines = createInterface({
      input: new PassThrough(),
      output: screen,
      terminal: true,
      history: [...history],
      historySize: MAX_HISTORY,
      removeHistoryDuplicates: true,
      prompt: PROMPT,
      completer: (line: string) => [words.filter((word) => word.startsWith(line)), line],
    });
    this.#lines.on("line", (line) => this.#entered(line));
    this.#lines.on("history", (lines) => options.remember(lines));
    emitKeypressEvents(stdin);
    stdin.on("keypress", this.#press);
  }

  /** Whether something is typed and not yet entered: other text has to wait then. */
  get isTyping(): boolean {
    return this.#isPrompted && (this.#lines.line !== "" || this.#isMore);
  }

  prompt(): void {
    if (this.#isPrompted || this.#isClosed) return;
    this.#options.beforePrompt();
    this.#isPrompted = true;
    this.#lines.setPrompt(PROMPT);
    this.#lines.prompt();
  }

  /** Makes room for other text. */
  hide(): void {
    if (!this.#isPrompted) return;
    this.#isPrompted = false;
    cursorTo(this.#options.screen, 0);
    clearScreenDown(this.#options.screen);
  }

  /** Leaves the keys to a question. It may change how the terminal passes them. */
  async suspended<T>(ask: () => Promise<T>): Promise<T> {
    const { stdin } = this.#options;
    this.#isSuspended = true;
    try {
      return await ask();
    } finally {
      this.#isSuspended = false;
      // A question that ends with the editor leaves the terminal as it was before both.
      if (!this.#isClosed) {
        stdin.setRawMode(true);
        stdin.resume();
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.hide();
    this.#options.stdin.off("keypress", this.#press);
    this.#lines.close();
    this.#restore();
  }

  readonly #press = (text: string | undefined, key: Key): void => {
    if (this.#isSuspended) return;
    const { name = "", ctrl = false } = key;
    const previous = this.#previous;
    this.#previous = name;
    if (name === "paste-start" || name === "paste-end") {
      this.#isPasting = name === "paste-start";
      return;
    }
    if (this.#isPasting) return this.#paste(text, name, previous);
    if (ctrl && name === "c") return this.#interrupt();
    if (ctrl && name === "d" && !this.isTyping) return this.#options.ended();
    // The line editor would suspend the process with a terminal that is not its own.
    if (ctrl && name === "z") return;
    if (name === "return" && !this.#isPrompted) return;
    this.prompt();
    this.#lines.write(text ?? "", key);
    if (!this.isTyping) this.#options.released();
  };

  #paste(text: string | undefined, name: string, previous: string | undefined): void {
    this.prompt();
    this.#isLinePasted = true;
    // CR LF is one end of a line.
    if (name === "enter" && previous === "return") return;
    if (name === "return" || name === "enter") this.#lines.write("", { name: "return" });
    else if (text !== undefined && (text === "\t" || !/\p{Cc}/u.test(text))) this.#lines.write(text);
  }

  #interrupt(): void {
    if (!this.isTyping) return this.#options.interrupted();
    // As in a shell: what was typed is given up.
    this.#take = entries();
    this.#setMore(false);
    this.#lines.write("", { ctrl: true, name: "e" });
    this.#lines.write("", { ctrl: true, name: "u" });
    this.#isLinePasted = false;
    this.hide();
    this.prompt();
    this.#options.released();
  }

  #entered(text: string): void {
    const entry = this.#take({ text, isPasted: this.#isLinePasted }, this.#isPasting);
    this.#isLinePasted = this.#isPasting;
    this.#setMore(entry === undefined);
    if (!entry) return this.#lines.prompt();
    this.#isPrompted = false;
    this.#options.entered(entry);
  }

  #setMore(isMore: boolean): void {
    this.#isMore = isMore;
    this.#lines.setPrompt(isMore ? PROMPT_OF_MORE : PROMPT);
  }
}
