import { UsageError } from "../errors.ts";

/** The service that `npm start` runs. */
export const LOCAL_SERVICE = "http://127.0.0.1:8787";

/**
 * The address of a service as profiles are named by it: origin and path, without a slash at the end. Throws `UsageError` for an
 * address that is not one of http or https, or that holds a user or password.
 */
export function serviceAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/u.test(new URL(text).protocol)) {
    throw new UsageError(`${text} is not an address of http or https`);
  }
  const { origin, pathname, username, password } = new URL(text);
  if (username !== "" || password !== "")
    throw new UsageError("The address must not hold a user or password");
  return (origin + pathname).replace(/\/+$/u, "");
}
