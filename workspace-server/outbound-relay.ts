import { once } from "node:events";
import net from "node:net";
import { pipeline } from "node:stream";

/** Address of the HTTP proxy for programs of the sandbox. */
const RELAY = { host: "127.0.0.1", port: 3128 };

/**
 * The inner end of a sandbox's outbound access: its network has only a loopback interface, so a proxy outside listens
 * on a Unix socket (WORKSPACE_OUTBOUND) and this relay passes every connection to it. Does nothing without the
 * variable.
 */
export async function startOutboundRelay(): Promise<void> {
  const socket = process.env["WORKSPACE_OUTBOUND"];
  if (!socket) return;
  const relay = net.createServer({ allowHalfOpen: true }, (inner) => {
    const outer = net.connect({ path: socket, allowHalfOpen: true });
    const end = () => {
      inner.destroy();
      outer.destroy();
    };
    pipeline(inner, outer, (error) => error && end());
    pipeline(outer, inner, (error) => error && end());
  });
  relay.unref();
  relay.listen(RELAY);
  await once(relay, "listening");
}
