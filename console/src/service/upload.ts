import type { FetchInit, Workspace } from "@agent-workspace/client";
import { clientOver } from "./client-over.ts";
import { fetchSignedIn } from "./session.ts";

/** Called with the share of the body that was sent, from 0 to 1. */
export type OnSent = (share: number) => void;

/** The service as in `workspace`. `onSent` is told how far each upload is. */
export function uploading(onSent: OnSent): Workspace {
  return clientOver((url, init) => fetchSignedIn(url, init, (...request) => sendAndTell(onSent, ...request)));
}

/** As `fetch`, which does not say how much was sent. */
function sendAndTell(onSent: OnSent, url: string, init: FetchInit): Promise<Response> {
  if (init.body instanceof ReadableStream)
    throw new TypeError("A stream cannot be sent by an upload that says how far it is");
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  request.open(init.method, url);
  for (const [name, value] of Object.entries(init.headers)) request.setRequestHeader(name, value);
  request.responseType = "blob";
  request.upload.addEventListener("progress", ({ loaded, total, lengthComputable }) => {
    if (lengthComputable) onSent(loaded / total);
  });
  request.addEventListener("load", () => {
    const { status } = request;
    const received: unknown = request.response;
    // These may have no body.
    const body = received instanceof Blob && ![204, 205, 304].includes(status) ? received : null;
    resolve(new Response(body, { status, headers: headersOf(request) }));
  });
  request.addEventListener("error", () => reject(new TypeError("The service could not be reached")));
  request.addEventListener("abort", () => reject(init.signal.reason));
  request.addEventListener("loadend", () => init.signal.removeEventListener("abort", abort));
  init.signal.throwIfAborted();
  init.signal.addEventListener("abort", abort);
  request.send(init.body);
  return promise;
}

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split("\r\n")) {
    const [name = "", ...value] = line.split(":");
    if (name !== "") headers.append(name, value.join(":").trim());
  }
  return headers;
}
