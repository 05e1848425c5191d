import http from "node:http";
import { text } from "node:stream/consumers";
import { now } from "./statistics.ts";

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/**
 * HTTP over connections that stay open, on `node:http`: `fetch` costs half a millisecond a call, which would be measured as
 * the service's. Throws on any answer but 200.
 */
export class HttpClient {
  readonly #url: URL;
  readonly #headers: http.OutgoingHttpHeaders;
  readonly #agent = new http.Agent({ keepAlive: true });

  constructor(url: string, token?: string) {
    this.#url = new URL(url);
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async request(method: string, path: string, json?: object): Promise<Answer> {
    const response = await this.#send(method, path, json);
    const { statusCode: status = 0, headers } = response;
    return { status, headers, body: await text(response) };
  }

  /**
   * Reads a stream of events to its end, the answer to a POST where there is something to send. `onFrame` gets each frame, and
   * when it came in milliseconds since the epoch. Answers the headers.
   */
  async events(
    path: string,
    onFrame: (frame: string, at: number) => void,
    json?: object,
  ): Promise<http.IncomingHttpHeaders> {
    const response = await this.#send(json ? "POST" : "GET", path, json);
    response.setEncoding("utf8");
    let rest = "";
    for await (const chunk of response) {
      const at = now();
      const frames = (rest + String(chunk)).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) onFrame(frame, at);
    }
    return response.headers;
  }

  /**
   * Reads an answer to its end, or to where a part of it ends with `end`, without looking at it closely: how often `mark` is in
   * it, and its bytes.
   */
  async count(path: string, mark: string, end?: string): Promise<{ count: number; bytes: number }> {
    const response = await this.#send("GET", path);
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      if (!(chunk instanceof Buffer)) continue;
      chunks.push(chunk);
      if (end !== undefined && chunk.subarray(-end.length).equals(Buffer.from(end))) break;
    }
    const body = Buffer.concat(chunks);
    let count = 0;
    for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) count += 1;
    return { count, bytes: body.length };
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(method: string, path: string, json?: object): Promise<http.IncomingMessage> {
    const body = json && JSON.stringify(json);
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const { hostname, port } = this.#url;
      const headers = {
        ...this.#headers,
        ...(body && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      };
      http
        .request({ agent: this.#agent, hostname, port, method, path, headers })
        .on("response", resolve)
        .on("error", reject)
        .end(body);
    });
    if (response.statusCode === 200) return response;
    throw new Error(`${method} ${path} answered ${response.statusCode}: ${await text(response)}`);
  }
}
