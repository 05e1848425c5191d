import { type Answer, Refused } from "../wire.ts";

/** An answer in Cloudflare's envelope. */
export function success(result: unknown, status = 200, more: object = {}): Answer {
  return { status, json: { result, success: true, errors: [], messages: [], ...more } };
}

export function cloudflareError(status: number, code: number, message: string): Answer {
  return { status, json: { result: null, success: false, errors: [{ code, message }], messages: [] } };
}

export function refuse(status: number, code: number, message: string): Refused {
  return new Refused(cloudflareError(status, code, message));
}
