import { randomBytes } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { pipeline, type Readable, type Transform } from "node:stream";
import zlib from "node:zlib";
import { CONNECTION_HEADERS } from "#src/lib/connection-headers.ts";
import { checkOutboundUrl, isPublicAddress, type OutboundPolicy } from "#src/lib/outbound-url.ts";
import {
  decodeEgressRequest,
  EGRESS_REQUEST_HEADER,
  EGRESS_RESPONSE_HEADER,
  encodeHeader,
  type EgressRequest,
} from "#src/platform/safe-fetch/egress-protocol.ts";
import { sameText } from "#local/same-text.ts";
import { serve } from "#local/serve.ts";
import { forwardUpgrade } from "./upgrade.ts";
import { checkedLookup, PrivateAddress, resolveWithSystem, type Resolve } from "./checked-lookup.ts";

/** Headers of one connection, and those that this server sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  "host",
  "expect",
  "content-length",
  "accept-encoding",
]);

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
};

/**
 * The local egress server for addresses that users supply (`safeFetch`): resolves, checks, and connects to the checked
 * address, with TLS for the host name. `url`, for `EGRESS_URL`, contains an unguessable token, so that other programs
 * on the machine cannot use the server; see `egress-protocol.ts` for the protocol.
 */
export async function startEgress(
  policy: OutboundPolicy & { resolve?: Resolve },
): Promise<{ url: string; close: () => Promise<void> }> {
  const token = randomBytes(32).toString("hex");
  const { url, close } = await serve(
    (request, response) => {
      const wanted = wantedBy(request);
      if (!sameText(request.url ?? "", `/${token}`)) refuse(response, 404, "Not found");
      else if (!wanted) refuse(response, 400, "Not an egress request");
      else forward(wanted, request, response, policy);
    },
    {
      maxHeaderSize: 64 * 1024,
      onUpgrade: (request, socket, head) => {
        const wanted = wantedBy(request);
        if (!wanted || !sameText(request.url ?? "", `/${token}`)) socket.destroy();
        else forwardUpgrade(wanted, request, socket, head, policy);
      },
    },
  );
  return { url: `${url}/${token}`, close };
}

function wantedBy({ headers }: http.IncomingMessage): EgressRequest | undefined {
  const described = headers[EGRESS_REQUEST_HEADER];
  return typeof described === "string" ? decodeEgressRequest(described) : undefined;
}

function forward(
  wanted: EgressRequest,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  policy: OutboundPolicy & { resolve?: Resolve },
): void {
  const refusal = checkOutboundUrl(wanted.url, policy);
  if (refusal !== undefined) {
    refuse(response, 403, refusal);
    return;
  }
  const target = new URL(wanted.url);
  const free = policy.allowPrivate || policy.allowedOrigins.includes(target.origin);
  const outgoing = (target.protocol === "https:" ? https : http).request(target.href, {
    method: wanted.method,
    headers: outgoingHeaders(wanted, request.headers["content-length"]),
    agent: false,
    lookup: checkedLookup(policy.resolve ?? resolveWithSystem, free ? () => true : isPublicAddress),
    signal: AbortSignal.timeout(wanted.timeoutMs),
  });
  outgoing.on("response", (incoming) => passOn(incoming, response, wanted.maxBytes));
  outgoing.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else refuse(response, error instanceof PrivateAddress ? 403 : 502, error.message);
  });
  response.on("close", () => outgoing.destroy());
  request.pipe(outgoing);
}

function outgoingHeaders(
  { method, headers }: EgressRequest,
  contentLength: string | undefined,
): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  const bodiless = method === "GET" || method === "HEAD";
  return {
    ...Object.fromEntries(kept),
    "accept-encoding": "identity",
    ...(contentLength !== undefined && !bodiless && { "content-length": contentLength }),
  };
}

/**
 * Passes the response on: decoded, since the reader expects it as `fetch` returns it, and cut one byte above the limit.
 */
function passOn(incoming: http.IncomingMessage, response: http.ServerResponse, maxBytes: number): void {
  const decode = DECODERS[incoming.headers["content-encoding"]?.toLowerCase() ?? ""];
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
    OWN_HEADERS.has(name) || (decode && name === "content-encoding")
      ? []
      : (values ?? []).map((value): [string, string] => [name, value]),
  );
  const described = encodeHeader({ status: incoming.statusCode ?? 502, headers });
  response.writeHead(200, { [EGRESS_RESPONSE_HEADER]: described });
  // A stream of events may have nothing to say for long.
  response.flushHeaders();
  const decoded: Readable = decode ? incoming.pipe(decode()) : incoming;
  incoming.on("error", () => response.destroy());
  decoded.on("error", () => response.destroy());
  pipeline(decoded, cutAfter(maxBytes + 1), response, () => undefined);
}

function cutAfter(bytes: number): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* cut(source) {
    let left = bytes;
    for await (const chunk of source) {
      yield chunk.subarray(0, left);
      left -= chunk.byteLength;
      if (left <= 0) return;
    }
  };
}

function refuse(response: http.ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(sentence);
}
