/**
 * Whether this browser has passkeys on a page of this origin, which may be another one than this page's. `reads` is the function that
 * reads the service's options.
 */
export function hasPasskeys(
  origin: string | null,
  reads: "parseCreationOptionsFromJSON" | "parseRequestOptionsFromJSON",
): boolean {
  return origin === location.origin && "PublicKeyCredential" in globalThis && reads in PublicKeyCredential;
}
