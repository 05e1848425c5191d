import net from "node:net";
import { StartError } from "./start-error.ts";

/** Make sure that the port is free, or find one when it is 0. Throws a `StartError` that names PORT or HOST. */
export async function findPort(host: string, port: number): Promise<number> {
  const probe = net.createServer();
  return new Promise((resolve, reject) => {
    probe.once("error", (error: NodeJS.ErrnoException) => reject(refusal(host, port, error)));
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const found = typeof address === "object" && address !== null ? address.port : port;
      probe.close(() => resolve(found));
    });
  });
}

function refusal(host: string, port: number, error: NodeJS.ErrnoException): StartError {
  if (error.code === "EADDRINUSE") return new StartError([`PORT: ${port} on ${host} is already in use`]);
  if (error.code === "EACCES") return new StartError([`PORT: ${port} needs more rights than this user has`]);
  return new StartError([`HOST: cannot listen on ${host} (${error.message})`]);
}
