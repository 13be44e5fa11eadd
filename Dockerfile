FROM node:26-slim

ENV NODE_ENV=production
WORKDIR /app

# The install scripts would fetch what is not needed here: a second Node, GPU libraries.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force

COPY src ./src
COPY fixtures/match_features.parquet fixtures/predictions.parquet ./fixtures/
COPY fixtures/registry ./fixtures/registry

USER node
EXPOSE 8000
# Node is process 1, so that it gets the signals itself.
CMD ["node", "src/main.ts"]
