import { AppError } from "#src/lib/errors.ts";

export interface AddressDeps {
  /** Why an address must not be called, as far as its text shows. */
  refusalOfUrl(url: string): string | undefined;
}

/** Throws `invalid_input` for an address that must not be called, or to which no path can be appended. */
export function checkAddress(deps: AddressDeps, baseUrl: string): void {
  const refusal = deps.refusalOfUrl(baseUrl);
  if (refusal !== undefined) throw new AppError("invalid_input", `base_url: ${refusal}`);
  const { search, hash } = new URL(baseUrl);
  if (search !== "" || hash !== "") {
    throw new AppError("invalid_input", "base_url: The address must have neither a query nor a fragment");
  }
}
