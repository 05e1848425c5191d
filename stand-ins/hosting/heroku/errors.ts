import { type Answer, Refused } from "../wire.ts";

/** An error in Heroku's form. https://devcenter.heroku.com/articles/platform-api-reference#errors */
export function herokuError(status: number, id: string, message: string, more: object = {}): Answer {
  return { status, json: { id, message, ...more } };
}

export function refuse(status: number, id: string, message: string, more: object = {}): Refused {
  return new Refused(herokuError(status, id, message, more));
}
