import { type Answer, Refused } from "../wire.ts";

/** An error in DigitalOcean's form: specification/shared/models/error.yml of digitalocean/openapi. */
export function digitaloceanError(status: number, id: string, message: string): Answer {
  return { status, json: { id, message } };
}

export function refuse(status: number, id: string, message: string): Refused {
  return new Refused(digitaloceanError(status, id, message));
}
