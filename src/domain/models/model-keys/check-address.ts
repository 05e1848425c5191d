import { AppError } from "#src/lib/errors.ts";

export interface AddressDeps {
  /** Why an address may not be called, as far as its text tells. */
  refusalOfUrl(url: string): string | undefined;
}

/** Refuse an address that may not be called, or to which no path can be added. Throws `invalid_input`. */
export function checkAddress(deps: AddressDeps, baseUrl: string): void {
  const refusal = deps.refusalOfUrl(baseUrl);
  if (refusal !== undefined) throw new AppError("invalid_input", `base_url: ${refusal}`);
  const { search, hash } = new URL(baseUrl);
  if (search !== "" || hash !== "") {
    throw new AppError("invalid_input", "base_url: The address must have neither a query nor a fragment");
  }
}
