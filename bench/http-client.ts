import http from "node:http";
import { text } from "node:stream/consumers";
import { now } from "./statistics.ts";

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/**
 * HTTP over persistent connections, on `node:http`: `fetch` takes half a millisecond per call, which would be
 * attributed to the service. Throws for any status but 200 and 201.
 */
export class HttpClient {
  readonly #url: URL;
  readonly #headers: http.OutgoingHttpHeaders;
  readonly #agent = new http.Agent({ keepAlive: true });

  constructor(url: string, token?: string) {
    this.#url = new URL(url);
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async request(
    method: string,
    path: string,
    json?: object,
    signature: http.OutgoingHttpHeaders = {},
  ): Promise<Answer> {
    const response = await this.#send(method, path, json, signature);
    const { statusCode: status = 0, headers } = response;
    return { status, headers, body: await text(response) };
  }

  /**
   * Reads an event stream to its end; sends a POST if there is a body. `onFrame` receives each frame, and its arrival
   * in milliseconds since the epoch. Returns the headers.
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
   * Reads a response to its end, or until a chunk ends with `end`, without parsing it. Returns how often `mark` occurs,
   * and the number of bytes.
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

  async #send(
    method: string,
    path: string,
    json?: object,
    signature: http.OutgoingHttpHeaders = {},
  ): Promise<http.IncomingMessage> {
    const body = json && JSON.stringify(json);
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const { hostname, port } = this.#url;
      const headers = {
        ...this.#headers,
        ...signature,
        ...(body && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      };
      http
        .request({ agent: this.#agent, hostname, port, method, path, headers })
        .on("response", resolve)
        .on("error", reject)
        .end(body);
    });
    if (response.statusCode === 200 || response.statusCode === 201) return response;
    throw new Error(`${method} ${path} answered ${response.statusCode}: ${await text(response)}`);
  }
}
