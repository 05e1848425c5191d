/** One HTTP request to a git host. No redirect is followed: a 3xx is an answer. */
export interface GitRequest {
  url: string;
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body: Uint8Array<ArrayBuffer> | null;
  signal: AbortSignal;
}

export interface GitAnswer {
  status: number;
  headers: Headers;
  body: ReadableStream<Uint8Array> | null;
}

/**
 * The way to git hosts. Throws `AppError` when the address is refused or the answer is larger than the transport takes, and
 * anything else when the host cannot be reached.
 */
export type GitTransport = (request: GitRequest) => Promise<GitAnswer>;
