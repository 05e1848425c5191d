import { type Answer, Refused } from "../wire.ts";

/** An error in Netlify's form: `definitions.error` of netlify/open-api swagger.yml. */
export function netlifyError(status: number, message: string): Answer {
  return { status, json: { code: status, message } };
}

export function notFound(): Refused {
  return new Refused(netlifyError(404, "Not Found"));
}

/** A field with its faults, as a name that is taken. https://github.com/netlify/open-api/issues/377 */
export function invalidField(field: string, fault: string): Refused {
  return new Refused({ status: 422, json: { errors: { [field]: [fault] } } });
}
