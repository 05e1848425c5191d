import net from "node:net";
import { StartError } from "./start-error.ts";

/**
 * Holds the port, or any free one when it is 0, until `release`, so that no other server of the stack gets it. Throws a
 * `StartError` that names PORT or HOST.
 */
export async function holdPort(
  host: string,
  port: number,
): Promise<{ port: number; release: () => Promise<void> }> {
  const holder = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    holder.once("error", (error: NodeJS.ErrnoException) => reject(refusal(host, port, error)));
    holder.listen({ host, port }, resolve);
  });
  const address = holder.address();
  return {
    port: address instanceof Object ? address.port : port,
    release: () => new Promise((resolve) => holder.close(() => resolve())),
  };
}

function refusal(host: string, port: number, error: NodeJS.ErrnoException): StartError {
  if (error.code === "EADDRINUSE") return new StartError([`PORT: ${port} on ${host} is already in use`]);
  if (error.code === "EACCES") return new StartError([`PORT: ${port} needs more rights than this user has`]);
  return new StartError([`HOST: cannot listen on ${host} (${error.message})`]);
}
