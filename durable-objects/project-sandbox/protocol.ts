/** The contract of the `ProjectSandbox` object; one object per project, by the project's id. */
export interface ProjectSandboxObject extends Rpc.DurableObjectBranded {
  /**
   * The protocol of a workspace server (see `platform/runtime/http-runtime/protocol.ts`); the container is started when
   * it does not run. The object itself serves the routes that must outlive the container: `DELETE /`, `/storage…`
   * except those that read files, and `/todos/<chat>`. It refuses read-only commands and the runtime's own ports as
   * `forbidden`.
   */
  fetch(request: Request): Promise<Response>;
}
