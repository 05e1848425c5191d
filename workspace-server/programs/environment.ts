/** Variables of the server's own environment that programs get: the path, and the outbound proxy if there is one. */
const PASSED_ON = ["PATH", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];

/** Returns the environment of a program of the project; `added` wins. */
export function programEnvironment(
  root: string,
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {
    HOME: root,
    LANG: "C.UTF-8",
    TERM: "dumb",
    SHELL: "/bin/bash",
  };
  for (const name of PASSED_ON) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  // Without it Node programs would bypass the proxy.
  if (environment["HTTP_PROXY"] !== undefined) environment["NODE_USE_ENV_PROXY"] = "1";
  return { ...environment, ...added };
}
