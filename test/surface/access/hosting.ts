import { OF_EDITORS, OWN, PERSON, changes, reads, type Rows } from "./row.ts";

/** A person's own accounts at hosting providers, and deployments of projects to them. */
export const HOSTING: Rows = {
  "GET /api/deployment-credentials": PERSON,
  "POST /api/deployment-credentials": OF_EDITORS,
  "PUT /api/deployment-credentials/{deployment_credential}": OWN,
  "DELETE /api/deployment-credentials/{deployment_credential}": OWN,
  "POST /api/deployment-credentials/test/{deployment_credential}": OWN,
  "GET /api/deployment-oauth/{hosting_provider}/authorize": PERSON,
  "POST /api/deployments": changes("deployment.create"),
  "POST /api/deployments/{project}/deploy": changes("deployment.create"),
  "POST /api/deployments/{project}/containers/{container}/deploy": changes("deployment.create"),
  "POST /api/deployments/{project}/deploy-all": changes("deployment.create"),
  // A project that it names is tested in test/attacks/deployments.test.ts.
  "GET /api/deployments": { admits: reads("deployment.view").admits },
  "GET /api/deployments/{project}/deployments": reads("deployment.view"),
  "GET /api/deployments/{deployment}": reads("deployment.view"),
  "GET /api/deployments/{deployment}/status": reads("deployment.view"),
  "GET /api/deployments/{deployment}/logs": reads("deployment.view"),
  "GET /api/deployments/{deployment}/stream": reads("deployment.view"),
  "POST /api/deployments/{deployment}/cancel": changes("deployment.create"),
  "POST /api/deployments/{deployment}/redeploy": changes("deployment.create"),
  "DELETE /api/deployments/{deployment}": changes("deployment.delete"),
};
