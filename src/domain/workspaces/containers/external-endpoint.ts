import { AppError } from "#src/lib/errors.ts";

export interface EndpointCheck {
  /** Why the service must not call an address, as far as its text shows; `undefined` if there is no reason. */
  refusalOfUrl(url: string): string | undefined;
}

/** Throws `invalid_input` for anything but an http(s) address that the service may call. */
export function requireEndpoint(check: EndpointCheck, endpoint: string | null): void {
  if (endpoint === null) {
    throw new AppError("invalid_input", "An external container needs an external_endpoint");
  }
  const refusal = check.refusalOfUrl(endpoint);
  if (refusal !== undefined) throw new AppError("invalid_input", refusal);
}
