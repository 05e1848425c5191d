import { type Answer, Refused } from "../wire.ts";

/** An error in Vercel's form. https://vercel.com/docs/rest-api/errors */
export function vercelError(status: number, code: string, message: string, more: object = {}): Answer {
  return { status, json: { error: { code, message, ...more } } };
}

export function refuse(status: number, code: string, message: string, more: object = {}): Refused {
  return new Refused(vercelError(status, code, message, more));
}
