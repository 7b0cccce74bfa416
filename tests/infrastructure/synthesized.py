"""A synthesized stack as a reader sees it: resources by construct path, references by name."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# `cdk deploy` writes the paths of constructs and assets into the template; an app by itself not.
PATHS_IN_TEMPLATE = {"aws:cdk:enable-path-metadata": True, "aws:cdk:enable-asset-metadata": True}


@dataclass(frozen=True, kw_only=True)
class Synthesized:
    """One template, in which `<Audience/SubscribeQueue.Arn>` stands for a reference."""

    name: str
    directory: Path
    resources: dict[str, dict[str, Any]]
    outputs: dict[str, Any]

    @classmethod
    def read(cls, directory: Path, name: str) -> "Synthesized":
        """The stack of that name among those synthesized into the directory."""
        template = json.loads((directory / f"{name}.template.json").read_text())
        paths = {
            logical_id: resource.get("Metadata", {})
            .get("aws:cdk:path", logical_id)
            .removeprefix(f"{name}/")
            .removesuffix("/Resource")
            for logical_id, resource in template["Resources"].items()
        }
        readable = {
            paths[logical_id]: _readable(resource, paths)
            for logical_id, resource in template["Resources"].items()
        }
        return cls(
            name=name,
            directory=directory,
            resources=readable,
            outputs=_readable(template["Outputs"], paths),
        )

    def properties(self, path: str) -> dict[str, Any]:
        """The properties of the resource at that path."""
        found: dict[str, Any] = self.resources[path]["Properties"]
        return found

    def of_type(self, type_: str) -> dict[str, dict[str, Any]]:
        """The properties of all resources of that type, by path."""
        return {
            path: resource["Properties"]
            for path, resource in self.resources.items()
            if resource["Type"] == type_
        }

    def function(self, handler: str) -> tuple[str, dict[str, Any]]:
        """Path and properties of the function with that handler, `audience.subscriber` in short."""
        full = f"functions.{handler}.handler"
        [found] = [
            (path, properties)
            for path, properties in self.of_type("AWS::Lambda::Function").items()
            if properties["Handler"] == full
        ]
        return found

    def statements(self, handler: str) -> list[dict[str, Any]]:
        """All that the policies of this function's role allow."""
        role = self.function(handler)[1]["Role"].removesuffix(".Arn>") + ">"
        return [
            statement
            for policy in self.of_type("AWS::IAM::Policy").values()
            if role in policy["Roles"]
            for statement in policy["PolicyDocument"]["Statement"]
        ]

    def allowed(self, handler: str) -> set[tuple[str, str]]:
        """Every pair of action and resource that this function's role allows."""
        return {
            (action, resource)
            for statement in self.statements(handler)
            for action in _as_list(statement["Action"])
            for resource in _as_list(statement["Resource"])
        }

    def asset_files(self, path: str) -> Iterator[str]:
        """The names of the files in the package of the function or layer at that path."""
        directory = self.directory / self.resources[path]["Metadata"]["aws:asset:path"]
        for file in sorted(directory.rglob("*")):
            if file.is_file():
                yield file.relative_to(directory).as_posix()


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _readable(value: Any, paths: dict[str, str]) -> Any:
    match value:
        case {"Ref": name}:
            return f"<{paths.get(name, name)}>"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"<{paths.get(name, name)}.{attribute}>"
        case {"Fn::Join": ["", parts]}:
            return "".join(_readable(part, paths) for part in parts)
        case dict():
            return {key: _readable(each, paths) for key, each in value.items()}
        case list():
            return [_readable(each, paths) for each in value]
    return value
