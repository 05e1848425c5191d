import { AppError } from "#src/lib/errors.ts";

/** Largest headers of one part, in bytes. */
const MAX_HEADER_BYTES = 16 * 1024;

/** A file of a form, as a stream. */
export interface FormFile {
  filename: string;
  /** As the client states it; otherwise `application/octet-stream`. */
  mimeType: string;
  body: ReadableStream<Uint8Array>;
}

/**
 * Streams the file that a multipart form sends under a name. Read its body before anything else of the request. Fields
 * before the file are skipped; fields after it are not read. Throws `invalid_input` for a form without such a file; the
 * body fails with `invalid_input` where the form breaks off. Format: RFC 7578, RFC 2046 section 5.1.
 */
export async function formFile(request: Request, name: string): Promise<FormFile> {
  const type = request.headers.get("content-type") ?? "";
  const boundary = /^multipart\/form-data\s*;.*?boundary=(?:"(?<quoted>[^"]+)"|(?<plain>[^\s;]+))/iu.exec(
    type,
  )?.groups;
  const text = boundary?.["quoted"] ?? boundary?.["plain"];
  if (text === undefined || text.length > 70 || !request.body) {
    throw new AppError("invalid_input", "Send the file as multipart/form-data");
  }
  const parts = new Parts(request.body, text);
  for (;;) {
    const headers = await parts.next();
    if (!headers) throw new AppError("invalid_input", `${name}: is required`);
    const found = dispositionOf(headers);
    if (found.name === name && found.filename !== undefined) {
      const mimeType = /^content-type:\s*([^\r\n]+)$/imu.exec(headers)?.[1]?.trim() ?? "";
      return {
        filename: found.filename,
        mimeType: mimeType === "" ? "application/octet-stream" : mimeType,
        body: parts.content(),
      };
    }
  }
}

function dispositionOf(headers: string): { name?: string | undefined; filename?: string | undefined } {
  const line = /^content-disposition:\s*form-data([^\r\n]*)$/imu.exec(headers)?.[1] ?? "";
  const field = (wanted: string) =>
    new RegExp(`;\\s*${wanted}="((?:[^"\\\\]|\\\\.)*)"`, "iu")
      .exec(line)?.[1]
      // Browsers write a quote as %22; other clients escape it.
      ?.replaceAll(/\\(["\\])/gu, "$1")
      .replaceAll("%22", '"');
  return { name: field("name"), filename: field("filename") };
}

/** The parts of a form, one after the other. */
class Parts {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Marks the end of a part. */
  readonly #delimiter: Buffer;
  #held: Buffer;

  constructor(body: ReadableStream<Uint8Array>, boundary: string) {
    this.#reader = body.getReader();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
    // The first delimiter may be at the very beginning, without a line break before it.
    this.#held = Buffer.from("\r\n", "latin1");
  }

  /** Skips the rest of the current part and returns the headers of the next one; `undefined` after the last. */
  async next(): Promise<string | undefined> {
    for await (const _ of this.#rest());
    while (this.#held.length < 2) await this.#more();
    if (this.#held.subarray(0, 2).toString("latin1") === "--") return undefined;
    for (;;) {
      const end = this.#held.indexOf("\r\n\r\n");
      if (end >= 0) {
        const headers = this.#held.subarray(0, end).toString("utf8");
        this.#held = this.#held.subarray(end + 4);
        return headers;
      }
      if (this.#held.length > MAX_HEADER_BYTES) throw malformed();
      await this.#more();
    }
  }

  content(): ReadableStream<Uint8Array> {
    const rest = this.#rest();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await rest.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => this.#reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /** The rest of the part, up to its delimiter. */
  async *#rest(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const end = this.#held.indexOf(this.#delimiter);
      if (end >= 0) {
        const last = this.#held.subarray(0, end);
        this.#held = this.#held.subarray(end + this.#delimiter.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end of the buffer may be the beginning of the delimiter.
      const safe = this.#held.length - this.#delimiter.length;
      if (safe > 0) {
        const sure = this.#held.subarray(0, safe);
        this.#held = this.#held.subarray(safe);
        yield sure;
      }
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#reader.read();
    if (done) throw malformed();
    this.#held = Buffer.concat([this.#held, value]);
  }
}

function malformed(): AppError {
  return new AppError("invalid_input", "The form is malformed");
}
