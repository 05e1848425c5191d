import { spawn } from "node:child_process";

/**
 * Opens an address in the person's browser. False when there is none to open it in: on a machine without a screen, and over
 * SSH, where the browser would open elsewhere.
 */
export function openBrowser(
  address: string,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const program = browserProgram(environment);
  if (program === undefined || !/^https?:/u.test(address)) return false;
  const [name, ...args] = program;
  const child = spawn(name, [...args, address], { detached: true, stdio: "ignore" });
  // The person has the address before their eyes: nothing is lost where the program is missing.
  child.on("error", () => {});
  child.unref();
  return true;
}

function browserProgram(
  environment: Readonly<Record<string, string | undefined>>,
): readonly [string, ...string[]] | undefined {
  const named = environment["BROWSER"];
  if (named !== undefined && named !== "") return named === "none" ? undefined : [named];
  if (environment["SSH_CONNECTION"] !== undefined) return undefined;
  if (process.platform === "darwin") return ["open"];
  // `start` is of cmd, which would read `&` in an address as an end of the command.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  if (environment["DISPLAY"] === undefined && environment["WAYLAND_DISPLAY"] === undefined) return undefined;
  return ["xdg-open"];
}
