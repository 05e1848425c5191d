/**
 * Whether hosts below APP_DOMAIN lead to the service. The default domain, `localhost`, is the visitor's own machine.
 */
export function hasPreviewHosts(appDomain: string | undefined): boolean {
  return appDomain !== undefined && appDomain.toLowerCase() !== "localhost";
}
