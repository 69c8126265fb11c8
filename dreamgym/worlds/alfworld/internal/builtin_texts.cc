// Data. Source: alfworld @ ca981941 (MIT), alfred.pddl and alfred.twl2, without comments and
// without the rules that no action reaches.
#include "dreamgym/worlds/alfworld/internal/builtin_texts.h"

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::alfworld {
namespace {

constexpr std::string_view kDomain = R"pddl((define (domain alfred)
 (:requirements :adl :action-costs :typing)
 (:types agent location receptacle object rtype otype)
 (:predicates
   (atLocation ?a - agent ?l - location)
   (receptacleAtLocation ?r - receptacle ?l - location)
   (objectAtLocation ?o - object ?l - location)
   (openable ?r - receptacle)
   (opened ?r - receptacle)
   (inReceptacle ?o - object ?r - receptacle)
   (isReceptacleObject ?o - object)
   (inReceptacleObject ?innerObject - object ?outerObject - object)
   (isReceptacleObjectFull ?o - object)
   (wasInReceptacle ?o - object ?r - receptacle)
   (checked ?r - receptacle)
   (examined ?l - location)
   (receptacleType ?r - receptacle ?t - rtype)
   (canContain ?rt - rtype ?ot - otype)
   (objectType ?o - object ?t - otype)
   (holds ?a - agent ?o - object)
   (holdsAny ?a - agent)
   (holdsAnyReceptacleObject ?a - agent)
   (full ?r - receptacle)
   (isClean ?o - object)
   (cleanable ?o - object)
   (isHot ?o - object)
   (heatable ?o - object)
   (isCool ?o - object)
   (coolable ?o - object)
   (pickupable ?o - object)
   (moveable ?o - object)
   (toggleable ?o - object)
   (isOn ?o - object)
   (isToggled ?o - object)
   (sliceable ?o - object)
   (isSliced ?o - object))
 (:functions (distance ?from ?to) (total-cost) - number)
 (:action look
   :parameters (?a - agent ?l - location)
   :precondition (and (atLocation ?a ?l))
   :effect (and (checked ?l)))
 (:action inventory
   :parameters (?a - agent)
   :precondition ()
   :effect (and (checked ?a)))
 (:action examineReceptacle
   :parameters (?a - agent ?r - receptacle)
   :precondition (and (exists (?l - location) (and (atLocation ?a ?l) (receptacleAtLocation ?r
     ?l))))
   :effect (and (checked ?r)))
 (:action examineObject
   :parameters (?a - agent ?o - object)
   :precondition (or (exists (?l - location, ?r - receptacle) (and (atLocation ?a ?l)
     (receptacleAtLocation ?r ?l) (inReceptacle ?o ?r) (or (not (openable ?r)) (opened ?r))))
     (holds ?a ?o))
   :effect (and (checked ?o)))
 (:action GotoLocation
   :parameters (?a - agent ?lStart - location ?lEnd - location ?r - receptacle)
   :precondition (and (atLocation ?a ?lStart) (receptacleAtLocation ?r ?lEnd))
   :effect (and (not (atLocation ?a ?lStart)) (atLocation ?a ?lEnd) (increase (total-cost) 1)))
 (:action OpenObject
   :parameters (?a - agent ?l - location ?r - receptacle)
   :precondition (and (openable ?r) (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (not (opened
     ?r)))
   :effect (and (opened ?r) (checked ?r) (increase (total-cost) 1)))
 (:action CloseObject
   :parameters (?a - agent ?l - location ?r - receptacle)
   :precondition (and (openable ?r) (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (opened ?r))
   :effect (and (not (opened ?r)) (increase (total-cost) 1)))
 (:action PickupObject
   :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
   :precondition (and (pickupable ?o) (atLocation ?a ?l) (receptacleAtLocation ?r ?l)
     (inReceptacle ?o ?r) (not (holdsAny ?a)) (or (not (openable ?r)) (opened ?r)))
   :effect (and (not (inReceptacle ?o ?r)) (holds ?a ?o) (holdsAny ?a) (not (objectAtLocation ?o
     ?l)) (increase (total-cost) 1)))
 (:action PutObject
   :parameters (?a - agent ?l - location ?o - object ?r - receptacle ?ot - otype ?rt - rtype)
   :precondition (and (holds ?a ?o) (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (or (not
     (openable ?r)) (opened ?r)) (objectType ?o ?ot) (receptacleType ?r ?rt) (canContain ?rt ?ot))
   :effect (and (inReceptacle ?o ?r) (objectAtLocation ?o ?l) (not (holds ?a ?o)) (not (holdsAny
     ?a)) (increase (total-cost) 1)))
 (:action CleanObject
   :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
   :precondition (and (cleanable ?o) (or (receptacleType ?r SinkType) (receptacleType ?r
     SinkBasinType)) (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (holds ?a ?o))
   :effect (and (increase (total-cost) 5) (isClean ?o)))
 (:action HeatObject
   :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
   :precondition (and (heatable ?o) (or (receptacleType ?r MicrowaveType)) (atLocation ?a ?l)
     (receptacleAtLocation ?r ?l) (holds ?a ?o))
   :effect (and (increase (total-cost) 5) (isHot ?o) (not (isCool ?o))))
 (:action CoolObject
   :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
   :precondition (and (coolable ?o) (or (receptacleType ?r FridgeType)) (atLocation ?a ?l)
     (receptacleAtLocation ?r ?l) (holds ?a ?o))
   :effect (and (increase (total-cost) 5) (isCool ?o) (not (isHot ?o))))
 (:action ToggleObject
   :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
   :precondition (and (toggleable ?o) (atLocation ?a ?l) (receptacleAtLocation ?r ?l)
     (inReceptacle ?o ?r))
   :effect (and (increase (total-cost) 5) (when (isOn ?o) (not (isOn ?o))) (when (not (isOn ?o))
     (isOn ?o)) (isToggled ?o)))
 (:action SliceObject
   :parameters (?a - agent ?l - location ?co - object ?ko - object)
   :precondition (and (sliceable ?co) (or (objectType ?ko KnifeType) (objectType ?ko
     ButterKnifeType)) (atLocation ?a ?l) (objectAtLocation ?co ?l) (holds ?a ?ko))
   :effect (and (increase (total-cost) 5) (isSliced ?co))))pddl";

constexpr std::string_view kHelpAction = R"pddl(
 (:action help
   :parameters (?a - agent)
   :precondition ()
   :effect (and (checked ?a)))))pddl";

constexpr std::string_view kGrammar = R"twl(grammar :: """
{
 "intro": [
   {"rhs": "-= Welcome to TextWorld, ALFRED! =-\n\n#look.feedback#\n\n#task#"}],
 "task": [
   {"rhs": "Your task is to: @TASK@"}],
 "GotoLocation.feedback": [
   {"rhs": "You arrive at {r.name}. #examineReceptacle.feedback#"}],
 "OpenObject.feedback": [
   {"rhs": "You open the {r.name}. #examineReceptacle.feedback#"}],
 "CloseObject.feedback": [
   {"rhs": "You close the {r.name}."}],
 "PickupObject.feedback": [
   {"rhs": "You pick up the {o.name} from the {r.name}."}],
 "PutObject.feedback": [
   {"rhs": "You move the {o.name} to the {r.name}."}],
 "inventory.feedback": [
   {"condition": "holdsany(a:agent)", "rhs": "You are carrying: [{o.indefinite + ' ' + o.name | holds(a:agent, o:object)}]."},
   {"rhs": "You are not carrying anything."}],
 "examineReceptacle.feedback": [
   {"condition": "openable(r:receptacle) & opened(r:receptacle)", "rhs": "The {r.name} is open. In it, you see [{o.indefinite + ' ' + o.name | inreceptacle(o:object, r:receptacle)}]."},
   {"condition": "openable(r:receptacle)", "rhs": "The {r.name} is closed."},
   {"rhs": "On the {r.name}, you see [{o.indefinite + ' ' + o.name | inreceptacle(o:object, r:receptacle)}]."}],
 "examineObject.feedback": [
   {"condition": "isreceptacleobject(o:object)", "rhs": "This is a normal {o.name}. In it, you see [{o2.indefinite + ' ' + o2.name | inreceptacleobject(o2:object, o:object)}]."},
   {"condition": "isclean(o:object) & ishot(o:object) & issliced(o:object)", "rhs": "This is a hot and clean sliced {o.name}."},
   {"condition": "isclean(o:object) & iscool(o:object) & issliced(o:object)", "rhs": "This is a cool and clean sliced {o.name}."},
   {"condition": "isclean(o:object) & issliced(o:object)", "rhs": "This is a clean sliced {o.name}."},
   {"condition": "ishot(o:object) & issliced(o:object)", "rhs": "This is a hot sliced {o.name}."},
   {"condition": "iscool(o:object) & issliced(o:object)", "rhs": "This is a cool sliced {o.name}."},
   {"condition": "isclean(o:object) & ishot(o:object)", "rhs": "This is a hot and clean {o.name}."},
   {"condition": "isclean(o:object) & iscool(o:object)", "rhs": "This is a cool and clean {o.name}."},
   {"condition": "ishot(o:object)", "rhs": "This is a hot {o.name}."},
   {"condition": "isclean(o:object)", "rhs": "This is a clean {o.name}."},
   {"condition": "iscool(o:object)", "rhs": "This is a cold {o.name}."},
   {"condition": "toggleable(o:object) & istoggled(o:object)", "rhs": "This {o.name} is on."},
   {"condition": "toggleable(o:object) & not_istoggled(o:object)", "rhs": "This {o.name} is off."},
   {"condition": "sliceable(o:object) & issliced(o:object)", "rhs": "This is a sliced {o.name}."},
   {"rhs": "There's nothing special about {o.name}."}]
}
""";

action look {
 template :: "look";
 feedback :: "#look.feedback#";
 grammar :: """
{
 "look.feedback": [
   {"condition": "atlocation(a:agent, l:location) & receptacleatlocation(r:receptacle, l:location)", "rhs": "#look-variations#. Next to it, you see #list_objects_on_the_floor#."},
   {"rhs": "You are in the middle of a room. Looking quickly around you, you see #list_appliances#."}],
 "look-variations": [
   {"rhs": "You are facing the [{r.name | atlocation(a:agent, l:location) & receptacleatlocation(r:receptacle, l:location)}]"}],
 "list_objects_on_the_floor": [
   {"condition": "atlocation(a:agent, l:location) & objectatlocation(o:object, l:location) & receptacleatlocation(r:receptacle, l:location) & not_inreceptacle(o:object, r:receptacle)", "rhs": "[{#overview(o)# | atlocation(a:agent, l:location) & objectatlocation(o:object, l:location) & receptacleatlocation(r:receptacle, l:location) & not_inreceptacle(o:object, r:receptacle)}]"},
   {"rhs": "nothing"}],
 "list_appliances": [
   {"condition": "receptacleatlocation(r:receptacle, l:location)", "rhs": "[{#overview(r)# | receptacleatlocation(r:receptacle, l:location)}]"},
   {"rhs": "nothing"}],
 "overview(o)": [
   {"rhs": "{o.indefinite} {o.name}"}],
 "overview(r)": [
   {"rhs": "{r.indefinite} {r.name or r.id}"}],
 "list_empty": [
   {"rhs": "nothing"}],
 "list_separator": [
   {"rhs": ", "}],
 "list_last_separator": [
   {"rhs": ", and "}]
}
 """;
}

action inventory {
 template :: "inventory";
 feedback :: "#inventory.feedback#";
}

action examineReceptacle {
 template :: "examine {r}";
 feedback :: "#examineReceptacle.feedback#";
}

action examineObject {
 template :: "examine {o}";
 feedback :: "#examineObject.feedback#";
}

action GotoLocation {
 template :: "go to [{r.name | receptacleatlocation(r:receptacle, lend:location)}]";
 feedback :: "#GotoLocation.feedback#";
}

action OpenObject {
 template :: "open {r}";
 feedback :: "#OpenObject.feedback#";
}

action CloseObject {
 template :: "close {r}";
 feedback :: "#CloseObject.feedback#";
}

action PickupObject {
 template :: "take {o} from {r}";
 feedback :: "#PickupObject.feedback#";
}

action PutObject {
 template :: "move {o} to {r}";
 feedback :: "#PutObject.feedback#";
}

action CleanObject {
 template :: "clean {o} with {r}";
 feedback :: "#cleanObject.feedback#";
 grammar :: """
{
 "cleanObject.feedback": [
   {"rhs": "You clean the {o.name} using the {r.name}."}]
}
 """;
}

action HeatObject {
 template :: "heat {o} with {r}";
 feedback :: "#heatObject.feedback#";
 grammar :: """
{
 "heatObject.feedback": [
   {"rhs": "You heat the {o.name} using the {r.name}."}]
}
 """;
}

action CoolObject {
 template :: "cool {o} with {r}";
 feedback :: "#coolObject.feedback#";
 grammar :: """
{
 "coolObject.feedback": [
   {"rhs": "You cool the {o.name} using the {r.name}."}]
}
 """;
}

action ToggleObject {
 template :: "use {o}";
 feedback :: "#toggleObject.feedback#";
 grammar :: """
{
 "toggleObject.feedback": [
   {"condition": "toggleable(o:object) & istoggled(o:object)", "rhs": "You turn on the {o.name}."},
   {"condition": "toggleable(o:object)", "rhs": "You turn off the {o.name}."},
   {"rhs": "You don't see any switch on the {o.name}."}]
}
 """;
}

action SliceObject {
 template :: "slice {co} with {ko}";
 feedback :: "#sliceObject.feedback#";
 grammar :: """
{
 "sliceObject.feedback": [
   {"rhs": "You sliced the {co.name} with the {ko.name}."}]
}
 """;
}

action help {
 template :: "help";
 feedback :: "
Available commands:
  look:                             look around your current location
  inventory:                        check your current inventory
  go to (receptacle):               move to a receptacle
  open (receptacle):                open a receptacle
  close (receptacle):               close a receptacle
  take (object) from (receptacle):  take an object from a receptacle
  move (object) to (receptacle):  place an object in or on a receptacle
  examine (something):              examine a receptacle or an object
  use (object):                     use an object
  heat (object) with (receptacle):  heat an object using a receptacle
  clean (object) with (receptacle): clean an object using a receptacle
  cool (object) with (receptacle):  cool an object using a receptacle
  slice (object) with (object):     slice an object using a sharp object
";
}
)twl";

struct Wording {
  std::string_view modern;   ///< of kV04
  std::string_view classic;  ///< of kV03
};

constexpr Wording kClassicWordings[] = {
    {"You arrive at {r.name}. ", "You arrive at {lend.name}. "},
    {"template :: \"move {o} to {r}\"", "template :: \"put {o} in/on {r}\""},
    {"You move the {o.name} to the {r.name}.", "You put the {o.name} in/on the {r.name}."},
};

}  // namespace

std::string builtin_domain(Dialect dialect) {
  return std::string(kDomain) + (dialect == Dialect::kV04 ? std::string(kHelpAction) : ")");
}

std::string builtin_grammar(Dialect dialect, std::string_view task) {
  if (dialect == Dialect::k2020) {
    throw Error(ErrorKind::kUnsupported,
                "there is no built-in wording of dialect \"2020\"",
                "use \"0.4\" or \"0.3\"; files of 2020 bring their own wording");
  }
  std::string grammar(kGrammar);
  if (dialect == Dialect::kV03) {
    for (const Wording& wording : kClassicWordings) {
      check(contains(grammar, wording.modern), "the built-in grammar has the wording to replace");
      grammar = replace_all(grammar, wording.modern, wording.classic);
    }
    grammar.resize(grammar.find("action help {"));
  }
  return replace_all(grammar, kTaskPlaceholder, task);
}

}  // namespace dreamgym::alfworld
