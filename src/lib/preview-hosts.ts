/** Whether hosts below APP_DOMAIN lead to the service. Its default is a name that leads to each machine's own. */
export function hasPreviewHosts(appDomain: string | undefined): boolean {
  return appDomain !== undefined && appDomain.toLowerCase() !== "localhost";
}
