import type * as Protocol from "@modelcontextprotocol/client";
import { PIPE_END, PipeEnd } from "#src/platform/runtime/project-pipes.ts";
import { oneLine } from "#src/lib/one-line.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { within } from "#src/lib/time-limit.ts";
import { MAX_RESPONSE_BYTES, TooLarge } from "./bounded-fetch.ts";
import type { McpProgram } from "./mcp-client.ts";
import { withoutSecrets } from "./secrets.ts";

/** Most characters of a program's own words in a sentence. */
const QUOTED_CHARS = 300;

/** A program has ended by itself. */
export class ProgramEnded extends Error {
  override name = "ProgramEnded";

  /** Of its words no secret is repeated, nor a part of one where they are cut. */
  constructor({ exitCode, errors }: PipeEnd, secrets: readonly string[]) {
    const words = oneLine(withoutSecrets(errors, secrets).trim()).slice(-QUOTED_CHARS);
    super(`The program ended with exit code ${exitCode}${words === "" ? "" : `: ${words}`}`);
  }
}

/** Most requests of a program's own that are heard after one of ours: each takes an answer. */
const MOST_ASKS = 100;
/** How long a write that failed waits for what the program says at its end. */
const LAST_WORDS_MS = 5_000;

/**
 * The transport of a program: a message is a line of its input or output. Other lines of its output are left out. After each request it may
 * write as many bytes as a response over HTTP has. Its end is the end of the connection; `onBroken` is told why.
 */
export function programTransportTo(
  protocol: typeof Protocol,
  start: () => Promise<McpProgram>,
  onBroken: (why: TooLarge | ProgramEnded) => void,
): Protocol.Transport {
  return new ProgramTransport(protocol, start, onBroken);
}

class ProgramTransport implements Protocol.Transport {
  /** By these two the package knows a transport over stdio, whose servers may leave unknown requests unanswered. */
  readonly stderr = null;
  readonly pid = null;
  onmessage?: Protocol.Transport["onmessage"];
  onclose?: () => void;
  readonly #protocol: typeof Protocol;
  readonly #start: () => Promise<McpProgram>;
  readonly #onBroken: (why: TooLarge | ProgramEnded) => void;
  #program: McpProgram | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #reading: Promise<void> | undefined;
  /** Bytes and requests of the program since the last request to it. */
  #heardBytes = 0;
  #asks = 0;
  #isClosed = false;
  /** Resolves after the last write: each is a request of its own, and one could overtake another. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(
    protocol: typeof Protocol,
    start: () => Promise<McpProgram>,
    onBroken: (why: TooLarge | ProgramEnded) => void,
  ) {
    this.#protocol = protocol;
    this.#start = start;
    this.#onBroken = onBroken;
  }

  async start(): Promise<void> {
    const program = await this.#start();
    this.#program = program;
    this.#reader = program.output.getReader();
    // Closed while the program started.
    if (this.#isClosed) return this.#end();
    this.#reading = this.#read(this.#reader);
  }

  async send(message: Parameters<Protocol.Transport["send"]>[0]): Promise<void> {
    if (!this.#program || this.#isClosed) throw new Error("The program is not running");
    if ("method" in message && "id" in message) this.#heardBytes = this.#asks = 0;
    try {
      await this.#write(this.#program, `${JSON.stringify(message)}\n`);
    } catch (error) {
      // A program that has ended takes no input: why it has is told by its output.
      await within(LAST_WORDS_MS, this.#reading ?? Promise.resolve());
      throw error;
    }
  }

  /** Writes lines in the order in which they were sent. */
  #write(program: McpProgram, line: string): Promise<void> {
    const written = this.#written.then(() => {
      if (this.#isClosed) throw new Error("The program is not running");
      return program.write(line);
    });
    this.#written = written.catch(() => {});
    return written;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#end();
    this.onclose?.();
  }

  /** The program ends when nobody reads it. */
  async #end(): Promise<void> {
    await this.#reader?.cancel().catch(() => {});
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let parts: string[] = [];
    for (;;) {
      const next = await reader.read().catch(() => undefined);
      if (!next || next.done) break;
      const [rest = "", ...lines] = decoder.decode(next.value, { stream: true }).split("\n").toReversed();
      for (const line of lines.toReversed()) {
        this.#heard(parts.join("") + line);
        parts = [];
      }
      parts.push(rest);
      this.#heardBytes += next.value.length;
      if (this.#heardBytes > MAX_RESPONSE_BYTES) {
        this.#onBroken(new TooLarge());
        break;
      }
    }
    await this.close();
  }

  #heard(line: string): void {
    if (line.startsWith(PIPE_END)) {
      const end = safeParseJson(line.slice(PIPE_END.length), PipeEnd);
      if (end) this.#onBroken(new ProgramEnded(end.value, this.#program?.secrets ?? []));
      return;
    }
    const message = this.#messageIn(line);
    if (!message) return;
    if ("method" in message && "id" in message && (this.#asks += 1) > MOST_ASKS) return;
    this.onmessage?.(message);
  }

  /** Undefined for a line that is no message: programs write other things there, too. */
  #messageIn(line: string): ReturnType<typeof Protocol.deserializeMessage> | undefined {
    if (!line.trimStart().startsWith("{")) return undefined;
    try {
      return this.#protocol.deserializeMessage(line);
    } catch {
      return undefined;
    }
  }
}
