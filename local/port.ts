import { randomInt } from "node:crypto";
import net from "node:net";
import { StartError } from "./start-error.ts";

/**
 * Ports below those that systems give out by themselves (Linux from 32768, others from 49152), so that no connection of
 * another process takes one between its release and the moment when the service listens on it.
 */
const FREE_PORTS = { first: 20_000, end: 32_768 };
const ATTEMPTS = 50;

/**
 * Holds the port, or any free one when it is 0, until `release`, so that no other server of the stack gets it. Throws a
 * `StartError` that names PORT or HOST.
 */
export async function holdPort(
  host: string,
  port: number,
): Promise<{ port: number; release: () => Promise<void> }> {
  if (port !== 0) return hold(host, port);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await hold(host, randomInt(FREE_PORTS.first, FREE_PORTS.end)); // oxlint-disable-line no-await-in-loop
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof PortInUse)) throw error;
    }
  }
}

class PortInUse extends StartError {}

async function hold(host: string, port: number): Promise<{ port: number; release: () => Promise<void> }> {
  const holder = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    holder.once("error", (error: NodeJS.ErrnoException) => reject(refusal(host, port, error)));
    holder.listen({ host, port }, resolve);
  });
  return { port, release: () => new Promise((resolve) => holder.close(() => resolve())) };
}

function refusal(host: string, port: number, error: NodeJS.ErrnoException): StartError {
  if (error.code === "EADDRINUSE") return new PortInUse([`PORT: ${port} on ${host} is already in use`]);
  if (error.code === "EACCES") return new StartError([`PORT: ${port} needs more rights than this user has`]);
  return new StartError([`HOST: cannot listen on ${host} (${error.message})`]);
}
