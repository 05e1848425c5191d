import type http from "node:http";
import { pipeline } from "node:stream/promises";
import { delayed, type Fault, sendGarbage } from "#stand-ins/shared/faults.ts";
import type { HostingParts } from "./parts.ts";
import { InvalidBody } from "./invalid-body.ts";
import { type Answer, type Exchange, pathPattern, Refused, type Wire, type WireCall } from "./wire.ts";

/** A wire whose calls can be looked up. */
export interface ServedWire {
  wire: Wire;
  calls: readonly { call: WireCall; pattern: RegExp }[];
  /** Whether another wire may know the call that this one does not. */
  isPartial: boolean;
}

export function served(wire: Wire, { isPartial = false }: { isPartial?: boolean } = {}): ServedWire {
  const calls = wire.calls.map((call) => ({ call, pattern: pathPattern(call.path) }));
  return { wire, calls, isPartial };
}

/** A call of a provider's API, found by its method and address. */
interface Found {
  wire: Wire;
  call: WireCall | undefined;
  /** Below the wire's base. */
  path: string;
  groups: Readonly<Record<string, string>>;
}

/** Serves a call of a provider's API; returns false for other addresses. */
export async function serveApi(
  parts: HostingParts,
  wires: readonly ServedWire[],
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<boolean> {
  const method = request.method ?? "GET";
  const found = find(wires, method, url.pathname);
  if (!found) return false;
  const { wire, call, path } = found;
  const left = new AbortController();
  response.once("close", () => left.abort());
  const fault = parts.faults.next(`${wire.provider} ${method} ${path}`);
  if (fault) await delayed(fault, left.signal);
  const answer = await answerTo(parts, found, { request, url, fault });
  parts.journal.add({
    at: parts.clock(),
    provider: wire.provider,
    method,
    path,
    call: `${wire.provider} ${method} ${call?.path ?? "(unknown)"}`,
    status: answer.status,
    fault: fault !== undefined,
  });
  // What a fault left unread would be taken for the next request.
  if (!request.readableEnded) request.resume();
  if (fault?.lost === true) response.destroy();
  else if (fault?.garbage === true) sendGarbage(response);
  else await send(parts, response, answer);
  return true;
}

function find(wires: readonly ServedWire[], method: string, pathname: string): Found | undefined {
  for (const { wire, calls, isPartial } of wires) {
    if (!pathname.startsWith(`${wire.base}/`)) continue;
    const path = pathname.slice(wire.base.length + 1);
    const match = calls.find(({ call, pattern }) => call.method === method && pattern.test(path));
    if (!match && isPartial) continue;
    return { wire, call: match?.call, path, groups: match?.pattern.exec(path)?.groups ?? {} };
  }
  return undefined;
}

async function answerTo(
  parts: HostingParts,
  { wire, call, path, groups }: Found,
  { request, url, fault }: { request: http.IncomingMessage; url: URL; fault: Fault | undefined },
): Promise<Answer> {
  const now = parts.clock();
  const faulty = fault?.status === undefined ? undefined : failing(wire, fault, fault.status, now);
  if (faulty && fault?.effect !== true) return faulty;
  // Garbage comes from what stands before the API: the call has no effect.
  if (fault?.garbage === true && !fault.lost) return { status: 200 };
  try {
    if (!call) return wire.refusal(404, "Not Found");
    const account = call.isOpen === true ? "" : accountOf(parts, wire, request, { path, now });
    const exchange: Exchange = {
      parts,
      wire,
      request,
      url,
      now,
      account,
      at: (name) => decode(groups[name] ?? ""),
    };
    const answer = await call.run(exchange);
    return faulty ?? answer;
  } catch (error) {
    return faulty ?? failure(wire, error);
  }
}

function failing(wire: Wire, { retry_after: after }: Fault, status: number, now: number): Answer {
  const message = status === 429 ? "Too many requests" : "The stand-in was told to fail";
  const answer = wire.refusal(status, message);
  return {
    ...answer,
    headers: {
      ...answer.headers,
      ...(after !== undefined && { "retry-after": String(after) }),
      ...(status === 429 && wire.limited?.(after ?? 1, now)),
    },
  };
}

function failure(wire: Wire, error: unknown): Answer {
  if (error instanceof Refused) return error.answer;
  if (error instanceof InvalidBody) {
    return error.status === 413 ? wire.refusal(413, error.message) : wire.invalid(error.message);
  }
  return wire.refusal(500, `The stand-in failed: ${String(error)}`);
}

function accountOf(
  parts: HostingParts,
  wire: Wire,
  request: http.IncomingMessage,
  { path, now }: { path: string; now: number },
): string {
  wire.check?.(request);
  const token = wire.tokenOf ? wire.tokenOf(request) : bearer(request);
  const account = token === undefined ? undefined : parts.tokens.accountOf(wire.provider, token, now);
  if (account === undefined) throw new Refused(wire.unauthorized(path));
  return account;
}

/** The token in `Authorization: Bearer`. */
export function bearer({ headers }: Pick<http.IncomingMessage, "headers">): string | undefined {
  return /^Bearer (\S+)$/iu.exec(headers.authorization ?? "")?.[1];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function send(parts: HostingParts, response: http.ServerResponse, answer: Answer): Promise<void> {
  const { status, json, text, blob, type, headers } = answer;
  if (blob !== undefined) {
    response.writeHead(status, { "content-type": "application/octet-stream", ...headers });
    await pipeline(parts.files.stream(blob), response);
    return;
  }
  const body = json === undefined ? text : JSON.stringify(json);
  const content =
    json === undefined ? (type ?? "text/plain; charset=utf-8") : "application/json; charset=utf-8";
  response.writeHead(status, {
    ...(body !== undefined && { "content-type": content }),
    "cache-control": "no-store",
    ...headers,
  });
  if (body === undefined || typeof body === "string") {
    response.end(body);
    return;
  }
  for await (const piece of body) {
    if (response.destroyed) return;
    response.write(piece);
  }
  response.end();
}

/**
 * Whether a fault means a call: both are a provider, a method and a path below the provider's base. In a fault, `{…}` or `*`
 * is any one segment of the path, and `**` at the end is any rest of it.
 */
export function isMeant(wanted: string, call: string): boolean {
  const [provider, method, path = ""] = wanted.split(" ");
  const [ownProvider, ownMethod, ownPath = ""] = call.split(" ");
  if (provider !== ownProvider || (method !== "*" && method !== ownMethod)) return false;
  const segments = path.replace(/^\//u, "").split("/");
  const own = ownPath.split("/");
  const isOpenEnded = segments.at(-1) === "**";
  if (isOpenEnded) segments.pop();
  if (isOpenEnded ? own.length < segments.length : own.length !== segments.length) return false;
  return segments.every((segment, at) => segment === own[at] || segment === "*" || /^\{.*\}$/u.test(segment));
}
