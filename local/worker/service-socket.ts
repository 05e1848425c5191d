import type { Plugin } from "miniflare";
import { z } from "zod";

/** Name of the binding that carries the address to the plugin; the Worker does not get it. */
export const SERVICE_SOCKET = "SERVICE_SOCKET";

const Binding = z.object({ dev: z.object({ options: z.object({ address: z.string() }) }) });

/**
 * Connects the listening socket directly to the Worker. Miniflare loads this file by the path in the binding.
 * Miniflare's own direct sockets are not safe for untrusted clients: they take `request.cf` from a header
 * (`MF-CF-Blob`) and open an RPC session to any client that connects to a certain name. Without options, workerd itself
 * puts the peer's address into `cf.clientIp`.
 */
export const plugins: Record<string, Plugin> = {
  "service-socket": {
    getBindings() {},
    getNodeBindings: () => ({}),
    getServices({ options: { config } }) {
      const binding = config.env?.[SERVICE_SOCKET];
      if (!binding) return undefined;
      const { address } = Binding.parse(binding).dev.options;
      // Miniflare's name for a Worker's service.
      const service = { name: `core:user:${config.name}` };
      return { services: [], extensions: [], sockets: [{ name: "service", address, service, http: {} }] };
    },
  },
};
