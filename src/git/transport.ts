/** One HTTP request to a git host. Redirects are not followed: a 3xx is returned. */
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
 * Sends requests to git hosts. Throws `AppError` when the address is refused or the response is larger than the
 * transport's limit, and any other error when the host cannot be reached.
 */
export type GitTransport = (request: GitRequest) => Promise<GitAnswer>;
