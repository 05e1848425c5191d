import type { Task } from "./generated/types.gen.ts";
import { trusted, isObject, parseJson } from "./json.ts";

/** Seconds by which a callback may be older or newer than the receiver's clock says. */
const TOLERANCE_S = 300;

/** A callback that is not the service's, or not a fresh one. Answer it with 400 and do nothing else. */
export class CallbackError extends Error {
  override readonly name = "CallbackError";
}

/** The headers of a request, as `fetch`, Node or a framework have them. */
export type CallbackHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks the callback of a task and returns its final status, in the shape of `Task.status`. `body` is the body of the
 * request, unchanged: JSON that was parsed and written again is another text. `secret` is the `webhook_secret` of the key
 * that started the task, or several: those of several keys, or the new and the previous one of a rotation. Throws a
 * `CallbackError` for a signature that is of none of them, and for a callback that is
 * more than five minutes old or early. One task may be delivered again; each time with the same `webhook-id`.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @example
 * export default {
 *   async fetch(request, env) {
 *     const task = await verifyCallback(await request.text(), request.headers, env.WEBHOOK_SECRET);
 *     console.log(task.task_id, task.status);
 *     return new Response(null, { status: 204 });
 *   },
 * };
 */
export async function verifyCallback(
  body: string | Uint8Array | ArrayBuffer,
  headers: CallbackHeaders,
  secret: string | readonly string[],
): Promise<Task> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  if (!/^\d{1,12}$/u.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) {
    throw new CallbackError(
      "The callback is too old, or of the future: check webhook-timestamp and the clock",
    );
  }
  if (!/^\S+( \S+)*$/u.test(signatures)) throw new CallbackError("webhook-signature is no list");
  const secrets = typeof secret === "object" ? secret : [secret];
  if (secrets.length === 0) throw new TypeError(NO_SECRET);
  const keys = await Promise.all(secrets.map(keyOf));
  const signed = concatenated(encoder.encode(`${id}.${timestamp}.`), bytesOf(body));
  const given = signatures
    .split(" ")
    .flatMap((each) => (each.startsWith("v1,") ? (fromBase64(each.slice(3)) ?? []) : []));
  // WebCrypto compares in constant time.
  const verdicts = await Promise.all(
    keys.flatMap((key) => given.map((signature) => crypto.subtle.verify("HMAC", key, signature, signed))),
  );
  if (!verdicts.includes(true)) throw new CallbackError("The signature is not of this secret");
  return taskIn(body);
}

const encoder = new TextEncoder();

function headerOf(headers: CallbackHeaders, name: string): string {
  const value = typeof headers.get === "function" ? headers.get(name) : fieldOf(headers, name);
  if (typeof value !== "string" || value === "") throw new CallbackError(`The callback lacks ${name}`);
  return value;
}

/** Of a record, in which names may have any case. */
function fieldOf(headers: object, name: string): unknown {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === "string") return encoder.encode(body);
  return body instanceof Uint8Array ? body : new Uint8Array(body);
}

function concatenated(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}

const NO_SECRET = "The secret must be the webhook_secret of a key: whsec_…";

/** Programs without types pass on a variable that is not set. */
async function keyOf(secret: string | undefined): Promise<CryptoKey> {
  const raw = fromBase64((secret ?? "").replace(/^whsec_/u, ""));
  if (!raw || raw.length === 0) throw new TypeError(NO_SECRET);
  return crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** The bytes of a base64 text in its one spelling; `undefined` for any other text. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text);
    // `atob` takes spaces, missing padding and loose bits as well.
    if (btoa(binary) !== text) return undefined;
    return Uint8Array.from(binary, (each) => each.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function taskIn(body: string | Uint8Array | ArrayBuffer): Task {
  const task = parseJson(typeof body === "string" ? body : new TextDecoder().decode(body));
  if (!isObject(task) || typeof task["task_id"] !== "string") {
    throw new CallbackError("The callback is signed, but is not a task's");
  }
  return trusted<Task>(task);
}
