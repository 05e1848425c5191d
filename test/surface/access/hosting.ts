import type { Rows } from "./row.ts";

const SEES = { admits: "person or key: deployment.view", stranger: 404, project: true } as const;
const DEPLOYS = {
  admits: "person or key: deployment.create",
  stranger: 404,
  viewer: 403,
  project: true,
} as const;
const DELETES = { ...DEPLOYS, admits: "person or key: deployment.delete" } as const;

/** A person's own accounts at hosting providers, and deployments of projects to them. */
export const HOSTING: Rows = {
  "GET /api/deployment-credentials": { admits: "person" },
  "POST /api/deployment-credentials": { admits: "person", stranger: 404, viewer: 403 },
  "PUT /api/deployment-credentials/{deployment_credential}": {
    admits: "person",
    stranger: 404,
    viewer: 404,
  },
  "DELETE /api/deployment-credentials/{deployment_credential}": {
    admits: "person",
    stranger: 404,
    viewer: 404,
  },
  "POST /api/deployment-credentials/test/{deployment_credential}": {
    admits: "person",
    stranger: 404,
    viewer: 404,
  },
  "GET /api/deployment-oauth/{hosting_provider}/authorize": { admits: "person" },
  "POST /api/deployments": DEPLOYS,
  "POST /api/deployments/{project}/deploy": DEPLOYS,
  "POST /api/deployments/{project}/containers/{container}/deploy": DEPLOYS,
  "POST /api/deployments/{project}/deploy-all": DEPLOYS,
  // A project that it names is tested in test/attacks/deployments.test.ts.
  "GET /api/deployments": { admits: SEES.admits },
  "GET /api/deployments/{project}/deployments": SEES,
  "GET /api/deployments/{deployment}": SEES,
  "GET /api/deployments/{deployment}/status": SEES,
  "GET /api/deployments/{deployment}/logs": SEES,
  "GET /api/deployments/{deployment}/stream": SEES,
  "POST /api/deployments/{deployment}/cancel": DEPLOYS,
  "POST /api/deployments/{deployment}/redeploy": DEPLOYS,
  "DELETE /api/deployments/{deployment}": DELETES,
};
